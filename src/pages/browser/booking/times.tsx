import type { Settings, Slot } from './settings.ts';
import { clockOf, dayOf } from './zones.ts';

interface TimesProps {
  /** Undefined while they are read. */
  readonly slots: readonly Slot[] | undefined;
  readonly isLoading: boolean;
  readonly settings: Settings;
  readonly zone: string;
  readonly choose: (slot: Slot) => void;
}

/** The free times by days, in the zone of the guest. */
export function Times({ slots, isLoading, settings: { language, texts }, zone, choose }: TimesProps) {
  if (!slots) return <p aria-busy="true">…</p>;
  if (slots.length === 0) return <p role="status">{texts.noTimes}</p>;
  const days = new Map<string, Slot[]>();
  for (const slot of slots) {
    const day = dayOf(slot.start_time, language, zone);
    days.set(day, [...(days.get(day) ?? []), slot]);
  }
  return (
    <div aria-busy={isLoading}>
      {[...days].map(([day, own]) => (
        <section key={day}>
          <h3>{day}</h3>
          <ul class="times">
            {own.map((slot) => (
              <li key={slot.start_time}>
                <button type="button" aria-label={`${day}, ${clockOf(slot.start_time, language, zone)}`} onClick={() => choose(slot)}>
                  {clockOf(slot.start_time, language, zone)}
                </button>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </div>
  );
}
