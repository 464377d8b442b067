/** Search of settings. Pure. */
import type { Setting } from '../../api/metadata.ts';

/** `changed` excludes default values. */
export function matching(settings: readonly Setting[], text: string, changed: boolean): readonly Setting[] {
  const terms = text.toLowerCase().split(/\s+/).filter(Boolean);
  return settings.filter(({ name, flag, value, meaning, from }) => {
    if (changed && from === 'default') return false;
    const all = `${name} ${flag} ${value ?? ''} ${meaning}`.toLowerCase();
    return terms.every((word) => all.includes(word));
  });
}
