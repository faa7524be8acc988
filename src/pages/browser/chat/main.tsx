import { render } from 'preact';
import { readSettings } from '../settings.ts';
import { Chat } from './chat.tsx';
import type { Settings } from './settings.ts';

const root = document.getElementById('chat');
if (root) {
  const settings = readSettings<Settings>(root);
  const { style } = document.documentElement;
  style.setProperty('--accent', settings.colour);
  style.setProperty('--on-accent', settings.onColour);
  render(<Chat settings={settings} />, root);
  // A frame that is opened has the focus, but no field in it has.
  const focus = () => {
    if (parent !== window && document.activeElement === document.body) root.querySelector<HTMLElement>('textarea, input')?.focus();
  };
  addEventListener('focus', focus);
  focus();
  // A site that shows the chat in a frame closes it when Escape is pressed within.
  addEventListener('keydown', ({ key }) => {
    if (key === 'Escape' && parent !== window) parent.postMessage('msgctl:close', '*');
  });
}
