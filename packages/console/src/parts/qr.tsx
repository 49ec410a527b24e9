import type { ReactNode } from 'react'

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
