import type { ReactNode } from 'react'
import style from './staff.module.css'
import { Card } from '../../parts/layout.tsx'

interface ListCardProps {
  readonly title: string
  /** What is listed, in a sentence. */
  readonly lead: string
  /** Below the sentence. */
  readonly more?: ReactNode
  /** What the list is searched with. */
  readonly search?: ReactNode
  readonly children: ReactNode
}

/** A list that reaches the border of its card, below its heading. */
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
