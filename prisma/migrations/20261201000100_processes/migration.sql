-- Which processes run, what each has confirmed, and how far followers of the log have come. Bookkeeping: losing it loses no
-- decision, so the application writes it directly.

-- One row per running process; it is seen again every few seconds.
CREATE TABLE processes (
  id text COLLATE "C" NOT NULL,
  app text COLLATE "C" NOT NULL,
  started_at timestamptz(6) NOT NULL DEFAULT clock_timestamp(),
  seen_at timestamptz(6) NOT NULL DEFAULT clock_timestamp(),
  CONSTRAINT processes_pkey PRIMARY KEY (id)
);
CREATE INDEX processes_seen_at_idx ON processes (seen_at);

-- A process knows of an engaged kill switch and refuses by it.
CREATE TABLE kill_confirmations (
  kill_id text COLLATE "C" NOT NULL,
  process_id text COLLATE "C" NOT NULL,
  app text COLLATE "C" NOT NULL,
  confirmed_at timestamptz(6) NOT NULL DEFAULT clock_timestamp(),
  CONSTRAINT kill_confirmations_pkey PRIMARY KEY (kill_id, process_id)
);
CREATE INDEX kill_confirmations_confirmed_at_idx ON kill_confirmations (confirmed_at);

-- Where a follower of the log stands, and which process follows until when.
CREATE TABLE followers (
  name text COLLATE "C" NOT NULL,
  txid xid8 NOT NULL,
  position bigint NOT NULL,
  held_by text COLLATE "C",
  held_until timestamptz(6) NOT NULL DEFAULT '-infinity',
  CONSTRAINT followers_pkey PRIMARY KEY (name)
);
