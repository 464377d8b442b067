/** A button that is disabled for a reason, which it shows on hover and focus and gives as its description. */
import { Button, type ButtonProps, Tooltip, VisuallyHidden } from '@mantine/core';
import { type MouseEvent, type ReactNode, type Ref, useId } from 'react';

interface ReasonButtonProps extends Omit<ButtonProps, 'disabled'> {
  /** Why the button is disabled. Undefined enables it. */
  readonly reason: string | undefined;
  readonly type?: 'button' | 'submit';
  /** What the button does, shown on hover while it is enabled. */
  readonly title?: string;
  readonly 'aria-haspopup'?: 'dialog';
  readonly 'aria-pressed'?: boolean;
  readonly ref?: Ref<HTMLButtonElement>;
  readonly 'aria-label'?: string;
  /** Of a submit button, the form handles the click. */
  readonly onClick?: () => void;
  readonly children: ReactNode;
}

/** A disabled button can be focused, so that the reason can be read by keyboard. */
export function ReasonButton({ reason, title, onClick, type = 'button', ...props }: ReasonButtonProps) {
  const description = useId();
  const isDisabled = reason !== undefined;
  const press = (event: MouseEvent): void => {
    if (isDisabled) event.preventDefault();
    else onClick?.();
  };
  return (
    <>
      <Tooltip
        label={reason}
        disabled={!isDisabled}
        events={{ hover: true, focus: true, touch: true }}
        multiline
        maw={360}
      >
        <Button
          {...props}
          type={type}
          onClick={press}
          {...(title !== undefined && !isDisabled && { title })}
          {...(isDisabled && { 'aria-disabled': true, 'data-disabled': true, 'aria-describedby': description })}
        />
      </Tooltip>
      {isDisabled && <VisuallyHidden id={description}>{reason}</VisuallyHidden>}
    </>
  );
}
