/** Closes a form, after a confirmation when the dialog around has unsaved changes. */
import { Button, type ButtonProps } from '@mantine/core';
import { useLeave } from './use-unsaved-work.ts';

interface CancelButtonProps extends ButtonProps {
  readonly onClick: () => void;
}

export function CancelButton({ onClick, ...props }: CancelButtonProps) {
  const leave = useLeave();
  return <Button variant="default" {...props} onClick={() => leave(onClick)} />;
}
