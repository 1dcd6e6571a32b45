-- Starts a release in steps; returns its id. Parameters: :actor, :canary, :ramp, :guidance, :ids, :fingerprint, :category, :batch, :keep, :fresh.
SELECT holdfast.start_release(:actor, :canary, :ramp, :guidance, ids => :ids, fingerprint => :fingerprint, category => :category,
  batch_id => :batch, keep_retries => :keep, fresh => :fresh)
