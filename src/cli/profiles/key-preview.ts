/** The masked form in which a key is shown: enough to tell keys apart. */
export function previewKey(key: string): string {
  return key.length < 16 ? '…' : `${key.slice(0, 4)}...${key.slice(-4)}`;
}
