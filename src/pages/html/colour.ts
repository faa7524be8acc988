/** The relative luminance of a colour such as #2563eb, from 0 to 1 (WCAG 2). */
function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** The colour of text on a colour: whichever of black and white has the higher contrast, which is at least 4.5. */
export function textOn(colour: string): '#000000' | '#ffffff' {
  const light = luminance(colour);
  return (light + 0.05) / 0.05 >= 1.05 / (light + 0.05) ? '#000000' : '#ffffff';
}

/** The styles that give pages a colour. */
export function colourStyles(colour: string): string {
  return `:root{--accent:${colour};--on-accent:${textOn(colour)}}`;
}
