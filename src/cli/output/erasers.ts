import type { Output } from '../world.ts';

/** The streams on which a progress bar is drawn, with the function that removes it. It must be removed before other output. */
export const erasers = new WeakMap<Output, () => void>();
