# A job that is broken: the shell itself reports the unfinished "if" below.
echo "starting"
if [ -n "$HOLDFAST_TICKET_ID" ]; then
  echo "nobody closed this block"
