"""The official OpenAI client uses the memory router: a stream of a chat, a stream of a response, a list of models, and errors.

Arguments: the base address and the agent's token. Prints what it got as one JSON object. Run by openai_client.test.mjs.
"""

import json
import sys

import openai


def code_of(call):
    """The status and the code of the error that `call` ends with."""
    try:
        call()
    except openai.APIStatusError as error:
        return [error.status_code, error.code]
    return None


def main():
    url, token = sys.argv[1:]
    client = openai.OpenAI(base_url=url, api_key=token, max_retries=0)
    question = {"role": "user", "content": "Where is my spare key?"}
    with client.chat.completions.create(model="keepsake", messages=[question], stream=True) as stream:
        pieces = [chunk.choices[0].delta.content for chunk in stream if chunk.choices]
    chat = "".join(piece for piece in pieces if piece)
    # A program sends the conversation again with each call.
    again = client.chat.completions.create(
        model="keepsake",
        messages=[question, {"role": "assistant", "content": chat}, {"role": "user", "content": "Thank you."}],
    )
    with client.responses.create(model="keepsake", input="Say it once more.", stream=True) as stream:
        events = [event for event in stream]
    deltas = [event.delta for event in events if event.type == "response.output_text.delta"]
    print(json.dumps({
        "chat": chat,
        "pieces": len([piece for piece in pieces if piece]),
        "again": again.choices[0].message.content,
        "response": "".join(deltas),
        "completed": [event.response.id for event in events if event.type == "response.completed"],
        "models": [model.id for model in client.models.list()],
        "overloaded": code_of(lambda: client.chat.completions.create(model="overloaded", messages=[question])),
        "stranger": code_of(lambda: openai.OpenAI(base_url=url, api_key="no-token", max_retries=0).models.list()),
    }))


main()
