import type { Texts } from '../../texts.ts';

/** What the page of a chat knows of its widget. */
export interface Settings {
  /** The path of the widget, such as `/w/abc`. */
  readonly path: string;
  readonly title: string;
  readonly greeting: string | null;
  readonly colour: string;
  readonly onColour: string;
  /** What visitors must tell before they write: name, email, phone. */
  readonly asks: readonly ('name' | 'email' | 'phone')[];
  readonly language: string;
  readonly texts: Texts;
}

/** A message as the service tells it. */
export interface Message {
  readonly id: string;
  readonly from: 'visitor' | 'agent' | 'team';
  readonly text: string;
  readonly media: { readonly name: string; readonly mime_type: string; readonly url: string } | null;
  readonly at: string;
}

/** A message that is not stored yet. */
export interface Unsent {
  readonly clientId: string;
  readonly text: string;
  readonly hasFailed: boolean;
}
