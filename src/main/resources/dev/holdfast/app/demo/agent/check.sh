got=$(sh total.sh amounts.txt)
if [ "$got" != 42 ]; then
  echo "total.sh says $got, but it should be 42" >&2
  exit 1
fi
echo "check passed: $got"
