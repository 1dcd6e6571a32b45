# Adds up the amounts in a file, one on each line.
sum=0
while read -r amount; do
  sum=$amount
done < "$1"
echo "$sum"
