/** Shows JSON or other text with a copy button. */
import { CopyButton } from './copy-button.tsx';
import { tokensOf } from './json-tokens.ts';
import classes from './json-view.module.css';

/** Maximum number of characters that are colored, for performance. */
const MAX_COLORED = 50_000;

interface JsonViewProps {
  /** Already formatted text. */
  readonly text: string;
  /** Name of the content and of its region, such as `payload`. */
  readonly what: string;
  /** Disables colors, for text that is not JSON. */
  readonly plain?: boolean;
}

export function JsonView({ text, what, plain = false }: JsonViewProps) {
  const tokens = plain || text.length > MAX_COLORED ? [{ kind: 'plain' as const, text }] : tokensOf(text);
  return (
    <div className={classes.frame}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <section className={classes.text} aria-label={what} tabIndex={0}>
        {tokens.map((token, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: tokens have nothing but their place
          <span key={index} className={classes[token.kind]}>
            {token.text}
          </span>
        ))}
      </section>
      <div className={classes.copy}>
        <CopyButton text={text} what={what} />
      </div>
    </div>
  );
}
