import { Link, type LinkProps } from '@tanstack/react-router'
import type { ComponentProps, ReactNode } from 'react'
import style from './button.module.css'
import { classNames } from './class-names.ts'

interface Look {
  /** Default `secondary`. At most one `primary` per group. */
  readonly kind?: 'primary' | 'secondary' | 'danger' | 'quiet'
  readonly small?: boolean
  /** Square, for an icon only; needs an `aria-label`. */
  readonly icon?: boolean
}

/** Returns the class of a button. */
export const buttonClass = ({ kind = 'secondary', small = false, icon = false }: Look): string =>
  classNames(style['button'], kind !== 'secondary' && style[kind], small && style['small'], icon && style['icon'])

interface ButtonProps extends Look, Omit<ComponentProps<'button'>, 'className'> {
  /** Shows a spinner and ignores clicks. */
  readonly busy?: boolean
}

/** A button; not `type="submit"` by default. */
export function Button({
  kind,
  small,
  icon,
  busy = false,
  children,
  onClick,
  type = 'button',
  ...rest
}: ButtonProps): ReactNode {
  const look = buttonClass({ ...(kind && { kind }), ...(small && { small }), ...(icon && { icon }) })
  return (
    <button
      {...rest}
      type={busy ? 'button' : type}
      className={look}
      aria-disabled={busy || undefined}
      aria-busy={busy || undefined}
      onClick={busy ? undefined : onClick}
    >
      {busy && <span className={style['spinner']} aria-hidden="true" />}
      {children}
    </button>
  )
}

/** A link to a page that looks like a button. */
export function ButtonLink({
  kind,
  small,
  ...rest
}: Look & Omit<LinkProps, 'className'> & { readonly 'aria-label'?: string }): ReactNode {
  return <Link {...rest} className={buttonClass({ ...(kind && { kind }), ...(small && { small }) })} />
}
