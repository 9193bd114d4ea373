-- What a key may do beyond its role, each right given by an admin and told in the key's event.

ALTER TABLE api_keys ADD COLUMN rights text[] NOT NULL DEFAULT '{}';
