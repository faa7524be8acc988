const units = ['bytes', 'KiB', 'MiB', 'GiB'] as const;

/** A size in the largest unit of which it has at least one, with one decimal at most: `500 KiB`, `10 MiB`, `1.5 GiB`. */
export function sizeText(bytes: number): string {
  const power = units.findLastIndex((_unit, index) => bytes >= 1024 ** index);
  const unit = Math.max(power, 0);
  return `${Math.round((bytes / 1024 ** unit) * 10) / 10} ${units[unit]}`;
}
