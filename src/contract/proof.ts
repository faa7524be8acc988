/** The public part of a store's identity key, an Ed25519 key as a JWK. */
export interface IdentityKey {
  readonly kty: string;
  readonly crv: string;
  readonly x: string;
  /** Its id, unique to this store. */
  readonly kid: string;
  readonly alg: string;
  readonly use: string;
}

/** The payload of a proof that a server holds the private part of the identity key (rules sandbox.91, sandbox.92). */
export interface ProofClaims {
  /** The nonce from the request. */
  readonly nonce: string;
  /** The address on which the server listens, such as `http://127.0.0.1:4600`. */
  readonly origin: string;
  /** The id of the identity key. */
  readonly store: string;
}

/** The `typ` in the header of a proof. Distinguishes a proof from an ID token signed with the same key (rule sandbox.90). */
export const proofType = 'msgctl-proof+jwt';
