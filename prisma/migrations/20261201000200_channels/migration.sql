-- Who a person is elsewhere, so that an answer on a channel is somebody's; and the index that finds cards which are out of date.

CREATE TABLE identities (
  tenant_id text COLLATE "C" NOT NULL,
  provider text COLLATE "C" NOT NULL,
  external_id text COLLATE "C" NOT NULL,
  person_id text COLLATE "C" NOT NULL,
  created_at timestamptz(6) NOT NULL DEFAULT clock_timestamp(),
  CONSTRAINT identities_pkey PRIMARY KEY (tenant_id, provider, external_id)
);
CREATE INDEX identities_person_id_idx ON identities (person_id);

CREATE INDEX deliveries_sent_idx ON deliveries (tenant_id, ask_id) WHERE state = 'sent';
