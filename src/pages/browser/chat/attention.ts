import type { Message } from './settings.ts';

/** Tells about answers by a sound and a notification, once the visitor has asked for it. */
export class Attention {
  #sound: AudioContext | undefined;

  get isAsked(): boolean {
    return this.#sound !== undefined;
  }

  /** Must be called by a click: browsers allow neither without one. */
  ask(): void {
    this.#sound = new AudioContext();
    if ('Notification' in window && Notification.permission === 'default') void Notification.requestPermission();
  }

  tell(message: Message, title: string): void {
    if (!this.#sound) return;
    const tone = this.#sound.createOscillator();
    const volume = this.#sound.createGain();
    volume.gain.value = 0.05;
    tone.connect(volume).connect(this.#sound.destination);
    tone.start();
    tone.stop(this.#sound.currentTime + 0.15);
    if (document.hidden && 'Notification' in window && Notification.permission === 'granted')
      new Notification(title, { body: message.text.slice(0, 200) });
  }
}
