import { Link, type LinkProps } from '@tanstack/react-router'
import { type ReactNode, useEffect } from 'react'
import { classNames } from './button.tsx'
import { Icon } from './icon.tsx'
import style from './layout.module.css'

interface PageProps {
  /** Heading and window title. */
  readonly title: string
  /** Window title, if several pages share a heading. */
  readonly windowTitle?: string
  /** Describes the page. */
  readonly lead?: ReactNode
  /** Buttons next to the heading. */
  readonly actions?: ReactNode
  /** Link to the parent page. */
  readonly back?: { readonly to: NonNullable<LinkProps['to']>; readonly label: string }
  /** Uses the full width. */
  readonly wide?: boolean
  readonly children: ReactNode
}

/** The layout of a page: heading, actions and content. */
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
  /** Without padding, for tables and lists. */
  readonly flush?: boolean
  readonly platform?: string
  readonly children: ReactNode
}

/** A card with an optional heading. */
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

/** Stacks its children vertically. */
export const Stack = ({ children }: { readonly children: ReactNode }): ReactNode => (
  <div className={style['stack']}>{children}</div>
)

/** Arranges its children in a wrapping row. */
export const Row = ({ children }: { readonly children: ReactNode }): ReactNode => (
  <div className={style['row']}>{children}</div>
)

/** A list of names and values. Values of `null` are left out. */
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

/** Sets the window title. */
export function useWindowTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Gatepost`
  }, [title])
}
