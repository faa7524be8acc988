import type { Memory } from './memory.ts';
import type { Message } from './settings.ts';

/** Tells about answers by a sound and a notification, if the visitor wants it. */
export class Attention {
  readonly #memory: Memory;
  #isWanted: boolean;
  #sound: AudioContext | undefined;

  constructor(memory: Memory) {
    this.#memory = memory;
    this.#isWanted = memory.isNotified;
  }

  get isWanted(): boolean {
    return this.#isWanted;
  }

  /** Must be set by a click: without one, browsers do not ask for the permission. */
  set isWanted(isWanted: boolean) {
    this.#isWanted = this.#memory.isNotified = isWanted;
    if (isWanted && 'Notification' in window && Notification.permission === 'default') void Notification.requestPermission();
  }

  tell(message: Message, title: string): void {
    if (!this.#isWanted) return;
    try {
      // Browsers play nothing before the visitor has done something on the page, and would play it late.
      if (navigator.userActivation.hasBeenActive) this.#play();
      if (document.hidden && Notification.permission === 'granted') new Notification(title, { body: message.text.slice(0, 200) });
    } catch {
      // Older browsers and those of phones lack one or the other.
    }
  }

  #play(): void {
    const sound = (this.#sound ??= new AudioContext());
    const tone = sound.createOscillator();
    const volume = sound.createGain();
    volume.gain.value = 0.05;
    tone.connect(volume).connect(sound.destination);
    tone.start();
    tone.stop(sound.currentTime + 0.15);
  }
}
