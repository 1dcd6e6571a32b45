# A job that needs a file nobody has put there.
set -eu
cat orders.csv
