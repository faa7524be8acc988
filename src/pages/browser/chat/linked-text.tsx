/** The addresses in a text. Characters that turn the direction of writing would show another address. */
const address = /https?:\/\/[^\s<>"\u202A-\u202E\u2066-\u2069]+/gi;

/** The brackets that an address can end with, and what opens each. */
const opening: Readonly<Record<string, string>> = { ')': '(', ']': '[', '}': '{' };

/** An address without the punctuation that follows it. A bracket that was opened in it belongs to it. */
function withoutPunctuation(url: string): string {
  const counts: Record<string, number> = {};
  for (const character of url) counts[character] = (counts[character] ?? 0) + 1;
  for (let end = url.length; ; end--) {
    const last = url[end - 1] ?? '';
    const opens = opening[last];
    const isBalanced = opens !== undefined && (counts[opens] ?? 0) >= (counts[last] ?? 0);
    if (isBalanced || !/[.,;:!?'")\]}]/.test(last)) return url.slice(0, end);
    counts[last] = (counts[last] ?? 0) - 1;
  }
}

/** A text whose addresses are links. Nothing else in it is markup. */
export function LinkedText({ text }: { readonly text: string }) {
  const parts = [];
  let end = 0;
  for (const { 0: found, index } of text.matchAll(address)) {
    const url = withoutPunctuation(found);
    parts.push(text.slice(end, index));
    parts.push(
      <a href={url} target="_blank" rel="noopener noreferrer nofollow">
        {url}
      </a>,
    );
    end = index + url.length;
  }
  return (
    <span dir="auto">
      {parts}
      {text.slice(end)}
    </span>
  );
}
