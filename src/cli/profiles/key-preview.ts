/** A masked key with enough of it to tell keys apart. */
export function previewKey(key: string): string {
  return key.length < 16 ? '…' : `${key.slice(0, 4)}...${key.slice(-4)}`;
}
