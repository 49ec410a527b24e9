import type { ReactNode } from 'react'

/** Paths on a 24-pixel grid, stroke width 1.75. */
const PATHS = {
  channels: 'M4 7h10M4 12h16M4 17h7M18 5v4M15 15v4',
  conversations: 'M4 5h16v11H9l-5 4z',
  doctor: 'M3 12h4l2.5-6 4 12L16 12h5',
  logs: 'M5 5h14M5 10h14M5 15h9M5 20h6',
  analytics: 'M4 20V4M4 20h16M8 16v-4M12.5 16V8M17 16v-6',
  assistant: 'M12 3v3M6 9h12v9H6zM9.5 13v1M14.5 13v1M3.5 12v3M20.5 12v3',
  account: 'M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM4.5 20c1-3.6 4-5.2 7.5-5.2s6.5 1.6 7.5 5.2',
  staff: 'M12 3l7 3v5c0 4.5-2.8 8-7 10-4.2-2-7-5.5-7-10V6z',
  demo: 'M7 3h10v18H7zM11 18h2',
  menu: 'M4 7h16M4 12h16M4 17h16',
  close: 'M6 6l12 12M18 6L6 18',
  check: 'M5 12.5l4.5 4.5L19 7.5',
  warn: 'M12 4l9 16H3zM12 10v4M12 17v.5',
  fail: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM9 9l6 6M15 9l-6 6',
  info: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM12 11v5M12 8v.5',
  copy: 'M9 9h10v11H9zM5 15V4h10',
  send: 'M4 12l16-7-6 15-3.5-5.5z',
  search: 'M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14zM16 16l4 4',
  file: 'M7 3h7l4 4v14H7zM14 3v4h4',
  filter: 'M4 6h16M7 12h10M10 18h4',
  more: 'M12 5.5v.5M12 12v.5M12 18.5v.5',
  down: 'M6 9l6 6 6-6',
  next: 'M9 6l6 6-6 6',
  back: 'M15 6l-6 6 6 6',
  plus: 'M12 5v14M5 12h14',
  trash: 'M5 7h14M9 7V4h6v3M7 7l1 13h8l1-13',
  refresh: 'M20 12a8 8 0 1 1-2.5-5.8M20 4v4.5h-4.5',
  link: 'M10 14a4 4 0 0 0 6 0l3-3a4 4 0 0 0-6-6l-1 1M14 10a4 4 0 0 0-6 0l-3 3a4 4 0 0 0 6 6l1-1',
  external: 'M9 5H5v14h14v-4M13 4h7v7M20 4l-9 9',
  key: 'M8 11a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM11 12l8-8M16 7l3 3',
  phone: 'M8 3h8v18H8zM11 18h2',
  cable: 'M9 3v5M15 3v5M6.5 8h11v3a5.500 5.500 0 0 1-11 0zM12 16.500V21',
  people:
    'M9 11a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7zM3 19c.8-3 3-4.5 6-4.5s5.200 1.500 6 4.500M16 4.500a3.500 3.500 0 0 1 0 6.500M17.500 14.500c2 .6 3.100 2 3.500 4.500',
  sun: 'M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM12 2.500v2M12 19.500v2M2.500 12h2M19.500 12h2M5.300 5.300l1.400 1.400M17.300 17.300l1.400 1.400M5.300 18.700l1.400-1.400M17.300 6.700l1.400-1.400',
  clock: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM12 7v5l3.500 2',
} as const
/** The name of an icon. */
export type IconName = keyof typeof PATHS

/** A decorative icon. */
export function Icon({ name, size = 18 }: { readonly name: IconName; readonly size?: number }): ReactNode {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.75"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      data-icon={name}
    >
      <path d={PATHS[name]} />
    </svg>
  )
}

/** An image of a QR code. The SVG isn't inlined, so that nothing in it becomes part of the page. */
export const QrImage = ({
  svg,
  label,
  size = 240,
}: {
  readonly svg: string
  readonly label: string
  readonly size?: number
}): ReactNode => <img src={`data:image/svg+xml,${encodeURIComponent(svg)}`} alt={label} width={size} height={size} />
