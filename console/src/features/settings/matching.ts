/** Search of settings. Pure. */
import type { ConfigurationSetting } from '@joinery/metadata/api/nodes';

/** `changed` excludes default values. */
export function matching(
  settings: readonly ConfigurationSetting[],
  text: string,
  changed: boolean,
): readonly ConfigurationSetting[] {
  const terms = text.toLowerCase().split(/\s+/).filter(Boolean);
  return settings.filter(({ name, flag, value, meaning, from }) => {
    if (changed && from === 'default') return false;
    const all = `${name} ${flag} ${value ?? ''} ${meaning}`.toLowerCase();
    return terms.every((word) => all.includes(word));
  });
}
