// Writes an order and enqueues its invoice in one transaction; prints the ticket's id.
package main

import (
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"os"
	"strings"

	_ "github.com/lib/pq"
)

func placeOrder(db *sql.DB, customer string) (int64, error) {
	tx, err := db.Begin()
	if err != nil {
		return 0, err
	}
	defer tx.Rollback() // does nothing after the commit
	var order, ticket int64
	if err := tx.QueryRow("INSERT INTO orders (customer) VALUES ($1) RETURNING id", customer).Scan(&order); err != nil {
		return 0, err
	}
	payload, err := json.Marshal(map[string]any{"order": order, "customer": customer})
	if err != nil {
		return 0, err
	}
	err = tx.QueryRow(
		"SELECT holdfast.enqueue_ticket(design => 'invoice', title => $1, payload => $2::jsonb, unique_key => $3)",
		fmt.Sprintf("invoice of order %d", order), string(payload), fmt.Sprintf("invoice-%d", order)).Scan(&ticket)
	if err != nil {
		return 0, err
	}
	if strings.TrimSpace(customer) == "" {
		return 0, errors.New("an order needs a customer") // takes back both, the order and the ticket
	}
	return ticket, tx.Commit()
}

func main() {
	db, err := sql.Open("postgres", os.Getenv("DATABASE_URL"))
	if err != nil {
		log.Fatal(err)
	}
	ticket, err := placeOrder(db, os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(ticket)
}
