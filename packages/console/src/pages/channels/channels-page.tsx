import type { ReactNode } from 'react'
import { Page as Sheet } from '../../parts/layout.tsx'

/** Not there yet. */
export const Page = (): ReactNode => <Sheet title="channels-page">…</Sheet>
