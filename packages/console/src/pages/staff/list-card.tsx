import type { ReactNode } from 'react'
import style from './staff.module.css'
import { Card } from '../../parts/layout.tsx'

interface ListCardProps {
  readonly title: string
  /** Describes the list. */
  readonly lead: string
  /** Shown below the description. */
  readonly more?: ReactNode
  /** The search field. */
  readonly search?: ReactNode
  readonly children: ReactNode
}

/** A card with a heading and a list that fills it. */
export const ListCard = ({ title, lead, more, search, children }: ListCardProps): ReactNode => (
  <Card flush>
    <div className={style['head']}>
      <div className={style['two']}>
        <h2>{title}</h2>
        <p>{lead}</p>
        {more}
      </div>
      {search !== undefined && <div className={style['search']}>{search}</div>}
    </div>
    {children}
  </Card>
)
