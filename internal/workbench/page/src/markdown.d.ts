/** A text as it is written, by webpack's `asset/source`. */
declare module '*.md' {
  const text: string;
  export default text;
}
