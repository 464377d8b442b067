/** A button that copies text and confirms it. */
import { ActionIcon, CopyButton as Copying, Tooltip } from '@mantine/core';
import { CopyIcon, TickIcon } from './icons.tsx';

interface CopyButtonProps {
  readonly text: string;
  /** Name of the copied text, such as `payload`. */
  readonly what: string;
}

export function CopyButton({ text, what }: CopyButtonProps) {
  return (
    <Copying value={text} timeout={1_500}>
      {({ copied, copy }) => (
        <Tooltip label={copied ? 'Copied' : `Copy ${what}`}>
          <ActionIcon
            size={24}
            variant="subtle"
            color="gray"
            aria-label={copied ? 'Copied' : `Copy ${what}`}
            onClick={copy}
          >
            {copied ? <TickIcon size={16} /> : <CopyIcon size={16} />}
          </ActionIcon>
        </Tooltip>
      )}
    </Copying>
  );
}
