// Works one ticket: reads it on stdin, prints its result on the last line.
package main

import (
	"encoding/json"
	"fmt"
	"log"
	"os"
)

func main() {
	var ticket struct {
		Payload struct {
			Order    int64  `json:"order"`
			Customer string `json:"customer"`
		} `json:"payload"`
	}
	if err := json.NewDecoder(os.Stdin).Decode(&ticket); err != nil {
		log.Fatal(err)
	}
	order := ticket.Payload
	if order.Customer == "busy" && os.Getenv("HOLDFAST_ATTEMPT") == "1" {
		// Say outright what is wrong and when to come back, where you know it.
		fmt.Println(`{"error": "the printer is busy", "category": "transient", "retry_after_ms": 100}`)
		os.Exit(75)
	}
	fmt.Fprintln(os.Stderr, "printing") // kept for people: holdfast logs ID
	result, err := json.Marshal(map[string]string{"invoice": fmt.Sprintf("%s-%d", order.Customer, order.Order)})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(string(result))
}
