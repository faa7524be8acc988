/** The addresses in a text, without the punctuation that follows them. */
const address = /https?:\/\/[^\s<>"]+[^\s<>"'.,;:!?)\]}]/gi;

/** A text whose addresses are links. Nothing else in it is markup. */
export function LinkedText({ text }: { readonly text: string }) {
  const parts = [];
  let end = 0;
  for (const { 0: url, index } of text.matchAll(address)) {
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
