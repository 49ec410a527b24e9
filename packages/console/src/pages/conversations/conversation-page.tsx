import { useParams } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Panes } from './panes.tsx'

/** The page of one conversation. */
export function Page(): ReactNode {
  const { id } = useParams({ strict: false })
  return <Panes selected={id ?? ''} />
}
