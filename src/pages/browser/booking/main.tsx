import { render } from 'preact';
import { readSettings } from '../settings.ts';
import { Booking } from './booking.tsx';
import type { Settings } from './settings.ts';

const root = document.getElementById('booking');
if (root) {
  const settings = readSettings<Settings>(root);
  // What stood there without a script goes.
  root.replaceChildren();
  render(<Booking settings={settings} />, root);
}
