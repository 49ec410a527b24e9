import { Fragment, type ReactNode } from 'react'

/** Splits a URL where a line may break: after slashes, and before dots and the delimiters of a query or fragment. */
export const splitUrl = (url: string): readonly string[] => url.split(/(?<=\/)(?!\/)|(?=[.?&=#])/)

/** A URL that wraps between its parts rather than in the middle of a word. Copying it yields the URL unchanged. */
export const Url = ({ children }: { readonly children: string }): ReactNode =>
  splitUrl(children).map((part, index) => (
    // oxlint-disable-next-line react/no-array-index-key -- parts are identified by position
    <Fragment key={index}>
      {index > 0 && <wbr />}
      {part}
    </Fragment>
  ))
