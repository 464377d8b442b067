/** Converts times between PostgreSQL and the inputs of the browser. Pure. */

export type Picker = 'date' | 'time' | 'datetime-local';

/** Returns the type of input for a type of column. */
export function pickerOf(type: string): Picker {
  if (type === 'date') return 'date';
  return type === 'time' || type === 'timetz' ? 'time' : 'datetime-local';
}

/** Returns the value of the input. Empty for text that the input cannot show. */
export function toPicker(text: string, type: string): string {
  const trimmed = text.trim();
  if (type === 'timestamptz') {
    const time = new Date(trimmed);
    return Number.isNaN(time.getTime()) ? '' : localText(time);
  }
  const [, date = '', clock = ''] = /^(\d{4}-\d{2}-\d{2})?[T ]?(\d{2}:\d{2}(?::\d{2})?)?/.exec(trimmed) ?? [];
  switch (pickerOf(type)) {
    case 'date':
      return date;
    case 'time':
      return clock;
    case 'datetime-local':
      return date === '' || clock === '' ? '' : `${date}T${clock}`;
  }
}

/** Returns the text for PostgreSQL. `picked` may be a date with a time for each type. */
export function fromPicker(picked: string, type: string): string {
  const [date = '', clock = ''] = picked.includes('T') ? picked.split('T') : [picked, picked];
  if (type === 'timestamptz') return new Date(picked).toISOString().replace('.000Z', '+00:00');
  switch (pickerOf(type)) {
    case 'date':
      return date;
    case 'time':
      return type === 'timetz' ? `${clock}+00` : clock;
    case 'datetime-local':
      return `${date}T${clock}`;
  }
}

function localText(time: Date): string {
  const two = (value: number): string => String(value).padStart(2, '0');
  const date = `${String(time.getFullYear()).padStart(4, '0')}-${two(time.getMonth() + 1)}-${two(time.getDate())}`;
  return `${date}T${two(time.getHours())}:${two(time.getMinutes())}:${two(time.getSeconds())}`;
}
