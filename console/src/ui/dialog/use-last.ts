/** The last defined value, for a dialog that still shows it while it closes. */
import { useState } from 'react';

export function useLast<Value>(value: Value | undefined): Value | undefined {
  const [last, setLast] = useState(value);
  if (value !== undefined && value !== last) setLast(value);
  return value ?? last;
}
