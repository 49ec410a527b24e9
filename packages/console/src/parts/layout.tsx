import { Link, type LinkProps } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { classNames } from './class-names.ts'
import { Icon } from './icon.tsx'
import style from './layout.module.css'
import { useWindowTitle } from './window-title.ts'

interface PageProps {
  /** The heading, and the title of the window. */
  readonly title: string
  /** The title of the window, where several pages share a heading. */
  readonly windowTitle?: string
  /** What the page is for, in a sentence. */
  readonly lead?: ReactNode
  /** Buttons beside the heading. */
  readonly actions?: ReactNode
  /** Where this page belongs to. */
  readonly back?: { readonly to: NonNullable<LinkProps['to']>; readonly label: string }
  /** As wide as the window. */
  readonly wide?: boolean
  readonly children: ReactNode
}

/** A page of the console: heading, actions, content. */
export function Page({
  title,
  windowTitle = title,
  lead,
  actions,
  back,
  wide = false,
  children,
}: PageProps): ReactNode {
  useWindowTitle(windowTitle)
  return (
    <div className={classNames(style['page'], wide && style['wide'])}>
      <header className={style['header']}>
        <div className={style['titles']}>
          {back && (
            <Link to={back.to} className={style['back']}>
              <Icon name="back" size={16} /> {back.label}
            </Link>
          )}
          <h1 tabIndex={-1}>{title}</h1>
          {lead !== undefined && <p className={style['lead']}>{lead}</p>}
        </div>
        {actions !== undefined && <div className={style['actions']}>{actions}</div>}
      </header>
      {children}
    </div>
  )
}

interface CardProps {
  readonly title?: ReactNode
  readonly actions?: ReactNode
  /** Without padding: for a table or a list that reaches the border. */
  readonly flush?: boolean
  readonly platform?: string
  readonly children: ReactNode
}

/** A box with a heading of its own. */
export function Card({ title, actions, flush = false, platform, children }: CardProps): ReactNode {
  return (
    <section className={classNames(style['card'], flush && style['flush'])} data-platform={platform}>
      {(title !== undefined || actions !== undefined) && (
        <div className={style['cardHeader']}>
          {title !== undefined && <h2>{title}</h2>}
          {actions !== undefined && <div className={style['actions']}>{actions}</div>}
        </div>
      )}
      {children}
    </section>
  )
}

/** Things below one another. */
export const Stack = ({ children }: { readonly children: ReactNode }): ReactNode => (
  <div className={style['stack']}>{children}</div>
)

/** Things beside one another, on several lines where they need it. */
export const Row = ({ children }: { readonly children: ReactNode }): ReactNode => (
  <div className={style['row']}>{children}</div>
)

/** Names and values. A value of `null` is left out. */
export const Facts = ({
  facts,
}: {
  readonly facts: readonly (readonly [name: string, value: ReactNode])[]
}): ReactNode => (
  <dl className={style['facts']}>
    {facts
      .filter(([, value]) => value !== null)
      .map(([name, value]) => (
        <div key={name} style={{ display: 'contents' }}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
  </dl>
)
