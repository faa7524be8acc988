/** Limits of the interface (Document 1, Limits; Document 4). Times are in seconds, sizes in bytes. */
export const limits = {
  mainKeyRequestsPerMinute: 300,
  accountRequestsPerMinute: 1_200,
  scopedKeyDefaultRequestsPerMinute: 60,
  scopedKeyMaxRequestsPerMinute: 300,
  rateWindowSeconds: 60,
  pageSizeDefault: 50,
  pageSizeMax: 100,
  scopedKeysListed: 200,
  bodyBytes: 1024 * 1024,
  uploadBytes: 50 * 1024 * 1024,
  nameLength: 200,
  textLength: 10_000,
  keyLabelLength: 100,
  maxAgents: 20,
  maxAgentBytes: 524_288,
  pendingPages: 5_000,
} as const;
