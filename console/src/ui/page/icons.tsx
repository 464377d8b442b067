/** Icons: strokes on a grid of 24. They are decorative and hidden from assistive technology. */
import type { ReactNode } from 'react';

interface IconProps {
  /** In pixels. */
  readonly size?: number;
}

function icon(strokes: ReactNode) {
  return function Icon({ size = 18 }: IconProps) {
    return (
      <svg
        width={size}
        height={size}
        viewBox="0 0 24 24"
        fill="none"
        stroke="currentColor"
        strokeWidth={1.8}
        strokeLinecap="round"
        strokeLinejoin="round"
        aria-hidden="true"
      >
        {strokes}
      </svg>
    );
  };
}

export const OverviewIcon = icon(<path d="M4 13h6V4H4zM14 9h6V4h-6zM14 20h6v-7h-6zM4 20h6v-3H4z" />);
export const BoltIcon = icon(<path d="M13 3L5 14h6l-1 7 8-11h-6z" />);
export const ClockIcon = icon(<path d="M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM12 7v5l3.5 2" />);
export const SunIcon = icon(
  <path d="M12 16a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM12 2.5v2M12 19.5v2M2.5 12h2M19.5 12h2M5.3 5.3l1.4 1.4M17.3 17.3l1.4 1.4M5.3 18.7l1.4-1.4M17.3 6.7l1.4-1.4" />,
);
export const MoonIcon = icon(<path d="M20 14.5A8.5 8.5 0 0 1 9.5 4a8.5 8.5 0 1 0 10.5 10.5z" />);
export const ExitIcon = icon(<path d="M14 4h5v16h-5M3.5 12H14M10 8l4 4-4 4" />);
export const RefreshIcon = icon(
  <path d="M20 11a8 8 0 0 0-14.5-3.5L3 10M3 4.5V10h5.5M4 13a8 8 0 0 0 14.5 3.5L21 14M21 19.5V14h-5.5" />,
);
export const PlusIcon = icon(<path d="M12 5v14M5 12h14" />);
export const CrossIcon = icon(<path d="M6 6l12 12M18 6L6 18" />);
export const CopyIcon = icon(<path d="M9 9h11v11H9zM15 9V4H4v11h5" />);
export const TickIcon = icon(<path d="M4.5 12.5l5 5 10-11" />);
export const BackIcon = icon(<path d="M15 5l-7 7 7 7" />);
export const ChevronIcon = icon(<path d="M9 5l7 7-7 7" />);
export const AlertIcon = icon(<path d="M12 3.5L22 20.5H2zM12 10v4.5M12 17.5v.1" />);
export const OpenIcon = icon(<path d="M13 4h7v7M20 4l-9 9M18 14v6H4V6h6" />);
export const SortedUpIcon = icon(<path d="M12 18V6M7 11l5-5 5 5" />);
export const SortedDownIcon = icon(<path d="M12 6v12M7 13l5 5 5-5" />);
export const PlayIcon = icon(<path d="M7 4.5v15l12-7.5z" />);
export const TuneIcon = icon(<path d="M4 7h9M17 7h3M4 17h3M11 17h9M13 4.5v5M7 14.5v5" />);
export const TableIcon = icon(<path d="M3.5 5h17v14h-17zM3.5 10h17M9.5 10v9" />);
export const TerminalIcon = icon(<path d="M5 7l5 5-5 5M12.5 17H19" />);
export const CircleIcon = icon(<path d="M12 20a8 8 0 1 0 0-16 8 8 0 0 0 0 16z" />);
export const HalfCircleIcon = icon(
  <>
    <path d="M12 20a8 8 0 1 0 0-16 8 8 0 0 0 0 16z" />
    <path d="M12 20a8 8 0 0 0 0-16z" fill="currentColor" />
  </>,
);
export const ListIcon = icon(<path d="M9 6h11M9 12h11M9 18h11M4 6h.1M4 12h.1M4 18h.1" />);
export const GlobeIcon = icon(
  <path d="M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM3 12h18M12 3c3 3 3 15 0 18M12 3c-3 3-3 15 0 18" />,
);
export const SendIcon = icon(<path d="M21 3L10 14M21 3l-7 18-4-7-7-4z" />);
