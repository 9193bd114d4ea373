-- Places that a channel writes to no more, since they said that they are gone. `setting` is a hash of what they were set up with:
-- set up otherwise, they are written to again. Bookkeeping: the application writes it directly.

CREATE TABLE closed_targets (
  tenant_id text COLLATE "C" NOT NULL,
  channel text COLLATE "C" NOT NULL,
  target text COLLATE "C" NOT NULL,
  setting text COLLATE "C" NOT NULL,
  problem text NOT NULL,
  closed_at timestamptz(6) NOT NULL DEFAULT clock_timestamp(),
  CONSTRAINT closed_targets_pkey PRIMARY KEY (tenant_id, channel, target)
);
