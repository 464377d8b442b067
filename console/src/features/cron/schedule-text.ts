/** Schedules in words, and presets of them. Pure. */
import { toString as describeExpression } from 'cronstrue';

export const presets: readonly { readonly label: string; readonly schedule: string }[] = [
  { label: 'Every minute', schedule: '* * * * *' },
  { label: 'Every 15 minutes', schedule: '*/15 * * * *' },
  { label: 'Hourly', schedule: '0 * * * *' },
  { label: 'Daily at 02:00', schedule: '0 2 * * *' },
  { label: 'Weekdays at 09:00', schedule: '0 9 * * MON-FRI' },
  { label: 'Mondays at 09:00', schedule: '0 9 * * MON' },
  { label: 'First of the month', schedule: '0 0 1 * *' },
];

/** Returns a sentence such as `At 02:00, Europe/Berlin time.`; undefined for a schedule that is not valid. */
export function scheduleSentence(schedule: string, timezone: string): string | undefined {
  const fields = schedule.trim();
  // The service accepts five fields and nicknames; the library also accepts seconds and years.
  if (!/^@\w+$/.test(fields) && fields.split(/\s+/).length !== 5) return undefined;
  try {
    const text = describeExpression(fields, { use24HourTimeFormat: true, throwExceptionOnParseError: true });
    return `${either(text, fields)}, ${timezone === 'UTC' ? 'UTC' : `${timezone} time`}.`;
  } catch {
    return undefined;
  }
}

/** Where both days are restricted, either is enough. */
function either(text: string, fields: string): string {
  const [, , dayOfMonth = '*', , dayOfWeek = '*'] = fields.split(/\s+/);
  if (dayOfMonth === '*' || dayOfWeek === '*') return text;
  return text.replace(/, and (on )?(?=\w)/, ', or $1');
}
