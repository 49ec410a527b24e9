import type { ReactNode } from 'react'
import { Notice } from './badge.tsx'
import { Button } from './button.tsx'
import { Icon, type IconName } from './icon.tsx'
import style from './states.module.css'
import { partTexts } from './texts.ts'
import { errorMessage } from '../language/errors.ts'
import { useLanguage, useTexts } from '../language/language.ts'
import { ApiError } from '../api/client.ts'

/** An empty state. */
export const Empty = ({
  icon,
  title,
  children,
  actions,
}: {
  readonly icon: IconName
  readonly title: string
  readonly children?: ReactNode
  readonly actions?: ReactNode
}): ReactNode => (
  <div className={style['empty']}>
    <span className={style['emptyIcon']}>
      <Icon name={icon} size={24} />
    </span>
    <h2>{title}</h2>
    {children !== undefined && <p>{children}</p>}
    {actions}
  </div>
)

/** A loading placeholder. */
export function Loading({ lines = 3 }: { readonly lines?: number }): ReactNode {
  const texts = useTexts(partTexts)
  return (
    <div className={style['skeleton']} role="status">
      <span className="visually-hidden">{texts.loading}</span>
      {Array.from({ length: lines }, (_, line) => (
        <span key={line} className={style['bar']} aria-hidden="true" />
      ))}
    </div>
  )
}

/** A pulsing text while waiting. Set `role` unless it's inside a live region. */
export const Waiting = ({ role, children }: { readonly role?: 'status'; readonly children: ReactNode }): ReactNode => (
  <p className={style['waiting']} role={role}>
    <span className={style['pulse']} aria-hidden="true" />
    {children}
  </p>
)

/** An error with a retry button. */
export function Failure({ error, onRetry }: { readonly error: unknown; readonly onRetry?: () => void }): ReactNode {
  const texts = useTexts(partTexts)
  const { language } = useLanguage()
  const requestId = error instanceof ApiError && error.status >= 500 ? error.requestId : null
  return (
    <Notice tone="bad" alert>
      <p>{errorMessage(error, language)}</p>
      {requestId !== null && <p className={style['requestId']}>{texts.requestId(requestId)}</p>}
      {onRetry && (
        <div>
          <Button small onClick={onRetry}>
            {texts.retry}
          </Button>
        </div>
      )}
    </Notice>
  )
}

/** The parts of a query that `Loaded` uses. */
export interface Loadable<D> {
  readonly data: D | undefined
  readonly error: unknown
  refetch(): unknown
}

/** Renders loaded data, or the loading or error state. Data once loaded stays visible. */
export function Loaded<D>({
  query,
  lines,
  children,
}: {
  readonly query: Loadable<D>
  readonly lines?: number
  readonly children: (data: D) => ReactNode
}): ReactNode {
  if (query.data !== undefined) return children(query.data)
  if (query.error !== null) return <Failure error={query.error} onRetry={() => void query.refetch()} />
  return <Loading {...(lines !== undefined && { lines })} />
}
