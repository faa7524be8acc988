import type { Output } from '../world.ts';
import { widthOf } from './screen.ts';

/** Wraps text at spaces to lines of at most `columns` columns. Longer words are not broken. */
export function wrapped(text: string, columns: number): string {
  return text.replace(new RegExp(`(?!.{0,${columns}}$)(.{1,${columns}}) `, 'gm'), '$1\n');
}

/** A text for a stream: on a terminal, its words are not broken at the edge. */
export function wrappedFor(stream: Output, text: string): string {
  return stream.isTTY ? wrapped(text, widthOf(stream)) : text;
}
