# A job that cannot know something which a person does: it fails until their guidance names a color.
set -eu
case ${HOLDFAST_GUIDANCE:-} in
  *green*) echo '{"color": "green"}' ;;
  *)
    echo "cannot decide on a color; a person has to name one" >&2
    exit 1
    ;;
esac
