import type { ReactNode } from 'react'
import { Button } from './button.tsx'
import style from './table.module.css'
import { Failure, Loading } from './states.tsx'
import { partTexts } from './texts.ts'
import { useTexts } from '../language/language.ts'
import type { List } from '../api/queries.ts'

/** A column of a table. `end` aligns numbers and buttons. */
export interface Column<R> {
  readonly title: string
  readonly cell: (row: R) => ReactNode
  readonly end?: boolean
}

/** A table. On a phone, each row is a block with labeled values. The first column is the row header. */
export const Table = <R,>({
  label,
  columns,
  rows,
  rowKey,
}: {
  readonly label: string
  readonly columns: readonly Column<R>[]
  readonly rows: readonly R[]
  rowKey(row: R): string
}): ReactNode => (
  <div className={style['scroll']}>
    <table className={style['table']} aria-label={label}>
      <thead>
        <tr>
          {columns.map(({ title, end }) => (
            <th key={title} scope="col" className={end ? style['end'] : undefined}>
              {title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={rowKey(row)}>
            {columns.map(({ title, cell, end }, place) =>
              place === 0 ? (
                <th key={title} scope="row">
                  {cell(row)}
                </th>
              ) : (
                <td key={title} data-label={title} className={end ? style['end'] : undefined}>
                  {cell(row)}
                </td>
              ),
            )}
          </tr>
        ))}
      </tbody>
    </table>
  </div>
)

/** A list with its loading, error and empty states and a button for more. */
export function ListBody<I>({
  list,
  empty,
  children,
}: {
  readonly list: List<I>
  readonly empty: ReactNode
  readonly children: (items: readonly I[]) => ReactNode
}): ReactNode {
  const texts = useTexts(partTexts)
  if (list.isLoading) return <Loading lines={5} />
  if (list.error !== null && list.items.length === 0) return <Failure error={list.error} onRetry={list.retry} />
  if (list.items.length === 0) return empty
  return (
    <>
      {children(list.items)}
      {list.error !== null && <Failure error={list.error} onRetry={list.retry} />}
      {list.hasMore && (
        <div className={style['foot']}>
          <Button small busy={list.isLoadingMore} onClick={list.more}>
            {texts.more}
          </Button>
        </div>
      )}
    </>
  )
}
