/** The icons of the console, by what they mean. They are decorative and hidden from assistive technology. */
import {
  IconAdjustmentsHorizontal,
  IconAlertTriangle,
  IconArrowDown,
  IconArrowsDiagonal,
  IconArrowUp,
  IconArrowUpRight,
  IconBolt,
  IconBook2,
  IconCheck,
  IconChevronLeft,
  IconChevronRight,
  IconCircle,
  IconCircleHalf2,
  IconClock,
  IconColumns3,
  IconCopy,
  IconDotsVertical,
  IconExternalLink,
  IconFocusCentered,
  IconHistory,
  IconKey,
  IconKeyboard,
  IconLayoutDashboard,
  IconLayoutSidebarLeftCollapse,
  IconList,
  IconLogout,
  IconMoon,
  IconPlayerPlay,
  IconPlus,
  IconRefresh,
  IconSearch,
  IconSend,
  IconSun,
  IconTable,
  IconTableShare,
  IconTerminal,
  IconWorld,
  IconX,
  type TablerIcon,
} from '@tabler/icons-react';

interface IconProps {
  /** In pixels. */
  readonly size?: number;
}

function icon(Glyph: TablerIcon) {
  return function Icon({ size = 18 }: IconProps) {
    return <Glyph size={size} stroke={1.8} aria-hidden="true" />;
  };
}

export const OverviewIcon = icon(IconLayoutDashboard);
export const BoltIcon = icon(IconBolt);
export const ClockIcon = icon(IconClock);
export const SunIcon = icon(IconSun);
export const MoonIcon = icon(IconMoon);
export const ExitIcon = icon(IconLogout);
export const RefreshIcon = icon(IconRefresh);
export const PlusIcon = icon(IconPlus);
export const CrossIcon = icon(IconX);
export const CopyIcon = icon(IconCopy);
export const TickIcon = icon(IconCheck);
export const BackIcon = icon(IconChevronLeft);
export const ChevronIcon = icon(IconChevronRight);
export const AlertIcon = icon(IconAlertTriangle);
export const HistoryIcon = icon(IconHistory);
export const OpenIcon = icon(IconExternalLink);
export const SortedUpIcon = icon(IconArrowUp);
export const SortedDownIcon = icon(IconArrowDown);
export const PlayIcon = icon(IconPlayerPlay);
export const TuneIcon = icon(IconAdjustmentsHorizontal);
export const TableIcon = icon(IconTable);
export const TableSendIcon = icon(IconTableShare);
export const TerminalIcon = icon(IconTerminal);
export const CircleIcon = icon(IconCircle);
export const HalfCircleIcon = icon(IconCircleHalf2);
export const ListIcon = icon(IconList);
export const GlobeIcon = icon(IconWorld);
export const BookIcon = icon(IconBook2);
export const FocusIcon = icon(IconFocusCentered);
export const KeyboardIcon = icon(IconKeyboard);
export const SearchIcon = icon(IconSearch);
export const SidebarIcon = icon(IconLayoutSidebarLeftCollapse);
export const SendIcon = icon(IconSend);
export const DotsIcon = icon(IconDotsVertical);
export const KeyIcon = icon(IconKey);
export const ColumnsIcon = icon(IconColumns3);
export const FollowIcon = icon(IconArrowUpRight);
export const ExpandIcon = icon(IconArrowsDiagonal);
