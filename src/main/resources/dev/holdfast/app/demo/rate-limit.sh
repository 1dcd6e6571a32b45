# A job whose provider says "too many requests" three times.
set -eu
if [ "$HOLDFAST_ATTEMPT" -le 3 ]; then
  echo "calling the model, attempt $HOLDFAST_ATTEMPT" >&2
  cat >&2 <<'BODY'
openai.RateLimitError: Error code: 429 - {'error': {'message': 'Rate limit reached for gpt-4.1 on requests per min (RPM): Limit 500, Used 500, Requested 1.', 'type': 'requests', 'param': None, 'code': 'rate_limit_exceeded'}}
BODY
  exit 1
fi
echo '{"answer": 42}'
