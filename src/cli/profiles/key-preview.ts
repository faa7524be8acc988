/** Masks a key, but shows enough of it to distinguish keys. */
export function previewKey(key: string): string {
  return key.length < 16 ? '…' : `${key.slice(0, 4)}...${key.slice(-4)}`;
}
