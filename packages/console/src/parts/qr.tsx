import type { ReactNode } from 'react'

/** A QR code that the service has drawn, as a picture of its own: nothing of the drawing becomes part of the page. */
export const Qr = ({
  svg,
  label,
  size = 240,
}: {
  readonly svg: string
  readonly label: string
  readonly size?: number
}): ReactNode => <img src={`data:image/svg+xml,${encodeURIComponent(svg)}`} alt={label} width={size} height={size} />
